/**
 * The part of the client under test that signs in: a provider for each of the official `auth/*` scenarios, as an
 * application would set it up from what the scenario hands it (`MCP_CONFORMANCE_CONTEXT`).
 */
import { McpClient } from "../../src/client.ts";
import { legacyFallback } from "../../src/client-legacy.ts";
import {
  authorizationCode,
  type ClientIdentity,
  clientCredentials,
  dpop,
  enterpriseManaged,
  type Grant,
  importPrivateKey,
  interactionBy,
  keyClient,
  type OAuthOptions,
  oauthProvider,
  secretClient,
  workloadIdentity,
} from "../../src/client-oauth.ts";
import type { JsonObject } from "../../src/protocol/types.ts";

const METADATA_URL = "https://conformance-test.local/client-metadata.json";
const REDIRECT_URI = "http://127.0.0.1:3000/callback";

export async function runAuthScenario(scenario: string, serverUrl: string, context: JsonObject): Promise<void> {
  const client = new McpClient(serverUrl, {
    info: { name: "mcp-edge-conformance", version: "1.0.0" },
    auth: oauthProvider({ server: serverUrl, ...(await setUp(scenario, serverUrl, context)) }),
    legacy: legacyFallback(),
  });
  try {
    await client.listTools();
    await client.callTool("test-tool");
  } finally {
    await client.close();
  }
}

async function setUp(scenario: string, serverUrl: string, context: JsonObject): Promise<Omit<OAuthOptions, "server">> {
  const text = (name: string): string => String(context[name]);
  const issuer = (): Promise<string> => operatorsIssuer(serverUrl);
  switch (scenario) {
    case "auth/client-credentials-basic": {
      const client = secretClient({ clientId: text("client_id"), clientSecret: text("client_secret") });
      return { grant: clientCredentials({ issuer: await issuer(), client }) };
    }
    case "auth/client-credentials-jwt": {
      const alg = text("signing_algorithm");
      const key = await importPrivateKey(text("private_key_pem"), alg);
      return {
        grant: clientCredentials({ issuer: await issuer(), client: keyClient(text("client_id"), { key, alg }) }),
      };
    }
    case "auth/enterprise-managed-authorization":
      return { grant: enterprise(await issuer(), text) };
    case "auth/wif-jwt-bearer": {
      const client = secretClient({ clientId: text("client_id") });
      const assertion = (): Promise<string> => Promise.resolve(text("valid_jwt"));
      return { grant: workloadIdentity({ issuer: await issuer(), client, assertion }) };
    }
    case "auth/dpop":
    case "auth/dpop-nonce":
      return { grant: person({ dynamic: { client_name: "conformance" } }), dpop: dpop({ required: true }) };
    case "auth/pre-registration": {
      const [clientId, clientSecret] = [text("client_id"), text("client_secret")];
      return { grant: person({ registered: [{ issuer: text("issuer"), clientId, clientSecret }] }) };
    }
    default:
      return { grant: person({ metadataUrl: METADATA_URL, dynamic: { client_name: "conformance" } }) };
  }
}

function enterprise(issuer: string, text: (name: string) => string): Grant {
  return enterpriseManaged({
    issuer,
    client: secretClient({ clientId: text("client_id"), clientSecret: text("client_secret") }),
    identityProvider: { issuer: text("idp_issuer"), clientId: text("idp_client_id") },
    subjectToken: () => Promise.resolve(text("idp_id_token")),
  });
}

/** A person whose browser the suite plays: its authorization servers redirect at once. */
function person(client: ClientIdentity): Grant {
  const interaction = interactionBy(REDIRECT_URI, async (url, signal) => {
    const response = await fetch(url, { redirect: "manual", signal });
    return response.headers.get("location") ?? "";
  });
  return authorizationCode({ interaction, client });
}

/** The issuer that credentials were made for, which an operator would know and the scenarios leave out of their context. */
async function operatorsIssuer(serverUrl: string): Promise<string> {
  const url = new URL(serverUrl);
  const response = await fetch(`${url.origin}/.well-known/oauth-protected-resource${url.pathname}`);
  // As the scenarios publish it.
  const metadata = await response.json<{ authorization_servers: [string] }>();
  return metadata.authorization_servers[0];
}
