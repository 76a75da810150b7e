/* Declarations of ESP-IDF 5 that code here uses, for -fsyntax-only. */
#pragma once
void esp_log(const char *tag, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define ESP_LOGI(tag, ...) esp_log(tag, __VA_ARGS__)
#define ESP_LOGE(tag, ...) esp_log(tag, __VA_ARGS__)
