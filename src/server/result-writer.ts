/**
 * Results as JSON text, with what every result carries: `resultType` and the server's name.
 *
 * The parts that never change are serialised once. What a handler returned is serialised once and put beside them.
 *
 * @see spec 2026-07-28 basic/index#result-responses, basic/index#meta
 */
import { isObject } from "../protocol/json-rpc.ts";
import type { Implementation } from "../protocol/types.ts";
import { META_SERVER_INFO, META_SUBSCRIPTION_ID } from "../protocol/versions.ts";

export class ResultWriter {
  readonly #serverInfo: Implementation;
  /** `"_meta":{…}` */
  readonly #meta: string;

  constructor(serverInfo: Implementation) {
    this.#serverInfo = serverInfo;
    this.#meta = `"_meta":${JSON.stringify({ [META_SERVER_INFO]: serverInfo })}`;
  }

  get serverName(): string {
    return this.#serverInfo.name;
  }

  /** A complete result around the members of `body`. @throws {TypeError} when `body` has no JSON form */
  result(body: object, resultType: "complete" | "input_required" = "complete"): string {
    const own = (body as { _meta?: unknown })._meta; // Handlers may return one; it is the only member merged.
    if (own === undefined) {
      // A value that writes itself through toJSON() need not have the braces that are cut off here.
      const members =
        "resultType" in body || "toJSON" in body ? { ...body, resultType: undefined, toJSON: undefined } : body;
      return this.wrap(JSON.stringify(members).slice(1, -1), resultType);
    }
    const _meta = { [META_SERVER_INFO]: this.#serverInfo, ...(isObject(own) ? own : {}) };
    return JSON.stringify({ ...body, resultType, _meta });
  }

  /** A complete result around members that are JSON text already, without braces. */
  wrap(members: string, resultType: "complete" | "input_required" = "complete"): string {
    const comma = members === "" ? "" : ",";
    return `{"resultType":"${resultType}",${members}${comma}${this.#meta}}`;
  }

  /** The result that ends a subscription. @param id the request's id as JSON text, which may have more digits than a number */
  subscriptionEnd(id: string): string {
    return `{"resultType":"complete",${this.#meta.slice(0, -1)},"${META_SUBSCRIPTION_ID}":${id}}}`;
  }

  text(text: string): string {
    return this.wrap(`"content":[{"type":"text","text":${JSON.stringify(text)}}]`);
  }

  toolError(text: string): string {
    return this.wrap(`"content":[{"type":"text","text":${JSON.stringify(text)}}],"isError":true`);
  }

  /** SHOULD — server/tools#structured-content: the JSON as a text block too. @throws {TypeError} without a JSON form */
  structured(value: unknown, json: string | undefined = JSON.stringify(value)): string {
    if (json === undefined) throw new TypeError("the handler returned something that JSON cannot express");
    return this.wrap(`"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}`);
  }
}
