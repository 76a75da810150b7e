#pragma once
int esp_crt_bundle_attach(void *config);
