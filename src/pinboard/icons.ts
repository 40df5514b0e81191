/**
 * Line icons as `data:` URIs, so that no client has to fetch anything to show them. One stroke colour that reads on light
 * and on dark paper.
 */
import type { Icon } from "../index.ts";

const STROKE = "#0d9488";

/** @param path the `d` of an SVG path on a 24 × 24 grid */
function icon(path: string): Icon[] {
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="${STROKE}" ` +
    `stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="${path}"/></svg>`;
  return [{ src: `data:image/svg+xml,${encodeURIComponent(svg)}`, mimeType: "image/svg+xml", sizes: ["any"] }];
}

export const ICONS = {
  pin: icon("M9 3h6M10 3v6l-4 5h12l-4-5V3M12 14v7"),
  add: icon("M5 4h14v10l-6 6H5zM13 20v-6h6M12 7v5M9.5 9.5h5"),
  edit: icon("M4 20l1-4L16 5l3 3L8 19zM13.5 7.5l3 3"),
  search: icon("M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13M15.5 15.5L20 20"),
  remove: icon("M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5"),
  load: icon("M12 4v11M7.5 10.5L12 15l4.5-4.5M4 19h16"),
  chart: icon("M4 20h16M7 16v-5M12 16V6M17 16v-8"),
  picture: icon("M4 5h16v14H4zM4 16l5-5 4 4 2-2 5 4M15.5 9h.01"),
} as const;
