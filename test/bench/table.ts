/** Plain aligned tables with a verdict against the targets. */

export interface Verdict {
  readonly target: string;
  readonly met: boolean;
}

export function atMost(value: number, limit: number, unit: string): Verdict {
  return { target: `<= ${limit}${unit}`, met: value <= limit };
}

export function atLeast(value: number, limit: number, unit: string): Verdict {
  return { target: `>= ${limit}${unit}`, met: value >= limit };
}

/** The two columns that every table ends with. */
export function verdictCells(verdict: Verdict | undefined): [string, string] {
  return verdict === undefined ? ["", ""] : [verdict.target, verdict.met ? "ok" : "MISS"];
}

/** The first column is text, the others line up at their right edge. */
export function printTable(title: string, rows: readonly (readonly string[])[]): void {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("   ")
      .trimEnd(),
  );
  const [head = "", ...others] = lines;
  console.log(`\n${title}\n${"-".repeat(title.length)}\n${[head, ...others].join("\n")}`);
}
