// The calls of a phone in Dart, with dart:io alone. steps.json has the same steps as data,
// docs/claims.md explains them.
import 'dart:convert';
import 'dart:io';

class Refusal implements Exception {
  Refusal(this.status, this.code, this.detail);
  final int status;
  final String code;
  final String detail;
}

/// Keep the refresh token in the Keychain or the Keystore (flutter_secure_storage).
abstract class TokenStore {
  Future<String> read();
  Future<void> write(String refreshToken);
}

typedef Json = Map<String, dynamic>;

class Phone {
  Phone(this.origin, this.store);
  final String origin;
  final TokenStore store;
  final _client = HttpClient()..connectionTimeout = const Duration(seconds: 10);
  String? _accessToken;

  Future<Json> _call(String method, String path, [Json? body]) async {
    final request = await _client.openUrl(method, Uri.parse('$origin/api/v1$path'));
    if (_accessToken != null) request.headers.set('authorization', 'Bearer $_accessToken');
    if (body != null) {
      request.headers.contentType = ContentType.json;
      request.write(jsonEncode(body));
    }
    // Longer than wait=30.
    final response = await request.close().timeout(const Duration(seconds: 40));
    final text = await response.transform(utf8.decoder).join();
    final result = text.isEmpty ? <String, dynamic>{} : jsonDecode(text) as Json;
    if (response.statusCode < 400) return result;
    throw Refusal(response.statusCode, '${result['code']}', '${result['detail']}');
  }

  Future<void> _keep(Json session) async {
    await store.write(session['refresh_token'] as String); // first: it is the identity
    _accessToken = session['access_token'] as String;
  }

  Future<void> start() async => _keep(await _call('POST', '/moid/session', {}));

  Future<Json> newCode(String workspaceId, String name) =>
      _call('POST', '/moid/claims', {'workspace_id': workspaceId, 'name': name});

  /// Call it again while the status is "open".
  Future<Json> awaitDevice(String claimId) => _call('GET', '/moid/claims/$claimId?wait=30');

  Future<Json> devices() => _call('GET', '/moid/devices');

  Future<Json> mqttLogin(String workspaceId) =>
      _call('POST', '/moid/mqtt-credentials', {'workspace_id': workspaceId});

  /// Within 15 minutes after the last one, and after a 401. Repeat it if no response came.
  Future<void> refresh() async {
    _accessToken = null; // exactly one credential is sent
    final token = await store.read();
    await _keep(await _call('POST', '/moid/refresh', {'refresh_token': token}));
  }

  Future<void> release(String deviceId) => _call('DELETE', '/moid/devices/$deviceId');

  Future<Json> claimShown(String claimCode, String name) =>
      _call('POST', '/moid/devices/claim', {'claim_code': claimCode, 'name': name});
}
