/** The one door of the fixture: leads to either Worker by the path. */
interface Env {
  readonly HOME: Fetcher;
  readonly GUEST: Fetcher;
}

export default {
  fetch: (request, { HOME, GUEST }) =>
    new URL(request.url).pathname.startsWith("/guest/") ? GUEST.fetch(request) : HOME.fetch(request),
} satisfies ExportedHandler<Env>;
