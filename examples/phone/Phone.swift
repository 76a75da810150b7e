// The calls of a phone in Swift, with URLSession. steps.json has the same steps as data,
// docs/claims.md explains them.
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct Refusal: Error {
  let status: Int
  let code: String
  let detail: String
}

/// Keep the refresh token in the Keychain, as kSecAttrAccessibleAfterFirstUnlock.
protocol TokenStore: AnyObject {
  var refreshToken: String? { get set }
}

typealias Json = [String: Any]

final class Phone {
  private let origin: String
  private let store: TokenStore
  private var accessToken: String?

  init(origin: String, store: TokenStore) {
    self.origin = origin
    self.store = store
  }

  private func call(_ method: String, _ path: String, _ body: Json? = nil) async throws -> Json {
    var request = URLRequest(url: URL(string: origin + "/api/v1" + path)!)
    request.httpMethod = method
    request.timeoutInterval = 40  // longer than wait=30
    if let token = accessToken {
      request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    }
    if let body {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = try JSONSerialization.data(withJSONObject: body)
    }
    let (data, response) = try await URLSession.shared.data(for: request)
    let status = (response as! HTTPURLResponse).statusCode
    let result = data.isEmpty ? [:] : try JSONSerialization.jsonObject(with: data) as? Json ?? [:]
    if status < 400 { return result }
    let (code, detail) = (result["code"] as? String ?? "", result["detail"] as? String ?? "")
    throw Refusal(status: status, code: code, detail: detail)
  }

  private func keep(_ session: Json) {
    store.refreshToken = session["refresh_token"] as? String  // first: it is the identity
    accessToken = session["access_token"] as? String
  }

  func start() async throws { keep(try await call("POST", "/moid/session", [:])) }

  func newCode(workspaceId: String, name: String) async throws -> Json {
    try await call("POST", "/moid/claims", ["workspace_id": workspaceId, "name": name])
  }

  /// Call it again while the status is "open".
  func awaitDevice(claimId: String) async throws -> Json {
    try await call("GET", "/moid/claims/\(claimId)?wait=30")
  }

  func devices() async throws -> Json { try await call("GET", "/moid/devices") }

  func mqttLogin(workspaceId: String) async throws -> Json {
    try await call("POST", "/moid/mqtt-credentials", ["workspace_id": workspaceId])
  }

  /// Within 15 minutes after the last one, and after a 401. Repeat it if no response came.
  func refresh() async throws {
    accessToken = nil  // exactly one credential is sent
    let token = store.refreshToken!
    keep(try await call("POST", "/moid/refresh", ["refresh_token": token]))
  }

  func release(deviceId: String) async throws {
    _ = try await call("DELETE", "/moid/devices/\(deviceId)")
  }

  func claimShown(claimCode: String, name: String) async throws -> Json {
    try await call("POST", "/moid/devices/claim", ["claim_code": claimCode, "name": name])
  }
}
