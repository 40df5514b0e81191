/**
 * What keeps a value from being an HTTP Archive 1.2: the paths of fields that are missing or of another type.
 *
 * @see http://www.softwareishard.com/blog/har-12-spec/
 */
type Check = (value: unknown, path: string) => string[];

const is =
  (test: (value: unknown) => boolean): Check =>
  (value, path) =>
    test(value) ? [] : [path];
const text = is((value) => typeof value === "string");
const number = is(Number.isFinite);
const duration = is((value) => typeof value === "number" && value >= 0);
const moment = is((value) => typeof value === "string" && new Date(value).toISOString() === value);

const optional =
  (check: Check): Check =>
  (value, path) =>
    value === undefined ? [] : check(value, path);
const list =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value) ? value.flatMap((each, index) => check(each, `${path}[${index}]`)) : [path];
const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value, path) => {
    if (typeof value !== "object" || value === null) return [path];
    const members = new Map<string, unknown>(Object.entries(value));
    return Object.entries(checks).flatMap(([name, check]) =>
      check(members.get(name), path === "" ? name : `${path}.${name}`),
    );
  };

const pairs = list(fields({ name: text, value: text }));
const common = { httpVersion: text, cookies: list(text), headers: pairs, headersSize: number, bodySize: number };
const entry = fields({
  startedDateTime: moment,
  time: duration,
  request: fields({
    method: text,
    url: text,
    queryString: pairs,
    postData: optional(fields({ mimeType: text, text })),
    ...common,
  }),
  response: fields({
    status: number,
    statusText: text,
    content: fields({ size: number, mimeType: text, text: optional(text) }),
    redirectURL: text,
    ...common,
  }),
  cache: fields({}),
  timings: fields({ send: duration, wait: duration, receive: duration }),
});
const har = fields({
  log: fields({ version: text, creator: fields({ name: text, version: text }), entries: list(entry) }),
});

export function harFaults(value: unknown): string[] {
  return har(value, "");
}
