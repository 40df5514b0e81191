/**
 * The protocol revisions by name, and the reserved `_meta` keys.
 *
 * @see spec 2026-07-28 basic/versioning, basic/index#meta
 */

/** The revision this implementation speaks without a handshake. */
export const MODERN_VERSION = "2026-07-28";
/** Every modern revision the server side implements, newest first; what −32022 and `server/discover` list. */
export const SUPPORTED_VERSIONS: readonly string[] = [MODERN_VERSION];

export const META_VERSION = "io.modelcontextprotocol/protocolVersion";
export const META_CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
export const META_CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
export const META_LOG_LEVEL = "io.modelcontextprotocol/logLevel";
export const META_SERVER_INFO = "io.modelcontextprotocol/serverInfo";
export const META_SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
