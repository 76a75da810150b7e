/*
 * The calls of a phone in Kotlin, with what Android has: HttpURLConnection and org.json. Call them
 * from a background thread. steps.json has the same steps as data, docs/claims.md explains them.
 */
import java.io.IOException
import java.net.HttpURLConnection
import java.net.URL
import org.json.JSONObject

class Refusal(val status: Int, val code: String, message: String) : IOException(message)

/** Keep the refresh token where only this app can read it: EncryptedFile, or a Keystore key. */
interface TokenStore {
    var refreshToken: String?
}

class Phone(private val origin: String, private val store: TokenStore) {
    private var accessToken: String? = null

    private fun call(method: String, path: String, body: Map<String, Any>? = null): JSONObject {
        val connection = URL("$origin/api/v1$path").openConnection() as HttpURLConnection
        // HttpURLConnection knows no PATCH; none is needed here.
        connection.requestMethod = method
        connection.connectTimeout = 10_000
        connection.readTimeout = 40_000 // longer than wait=30
        accessToken?.let { connection.setRequestProperty("Authorization", "Bearer $it") }
        if (body != null) {
            connection.doOutput = true
            connection.setRequestProperty("Content-Type", "application/json")
            connection.outputStream.use { it.write(JSONObject(body).toString().toByteArray()) }
        }
        val status = connection.responseCode
        val stream = if (status < 400) connection.inputStream else connection.errorStream
        val text = stream?.bufferedReader()?.readText().orEmpty()
        val result = if (text.isEmpty()) JSONObject() else JSONObject(text)
        if (status < 400) return result
        throw Refusal(status, result.optString("code"), result.optString("detail"))
    }

    private fun keep(session: JSONObject) {
        store.refreshToken = session.getString("refresh_token") // first: it is the identity
        accessToken = session.getString("access_token")
    }

    fun start() = keep(call("POST", "/moid/session", mapOf()))

    fun newCode(workspaceId: String, name: String) =
        call("POST", "/moid/claims", mapOf("workspace_id" to workspaceId, "name" to name))

    /** Call it again while the status is "open". */
    fun awaitDevice(claimId: String) = call("GET", "/moid/claims/$claimId?wait=30")

    fun devices() = call("GET", "/moid/devices")

    fun mqttLogin(workspaceId: String) =
        call("POST", "/moid/mqtt-credentials", mapOf("workspace_id" to workspaceId))

    /** Within 15 minutes after the last one, and after a 401. Repeat it if no response came. */
    fun refresh() {
        accessToken = null // exactly one credential is sent
        val token = checkNotNull(store.refreshToken)
        keep(call("POST", "/moid/refresh", mapOf("refresh_token" to token)))
    }

    fun release(deviceId: String) = call("DELETE", "/moid/devices/$deviceId")

    fun claimShown(claimCode: String, name: String) =
        call("POST", "/moid/devices/claim", mapOf("claim_code" to claimCode, "name" to name))
}
