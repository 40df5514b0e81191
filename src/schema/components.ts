/**
 * Strongly connected components of a graph given by numbers.
 *
 * Contract: without recursion, in time linear in nodes and edges; numbered so that edges between components lead to smaller numbers.
 */

/** Tarjan's algorithm; the result holds each node's component. */
export function components(size: number, next: (node: number) => readonly number[]): Int32Array {
  const part = new Int32Array(size).fill(-1);
  const order = new Int32Array(size);
  const low = new Int32Array(size);
  const open: number[] = [];
  let clock = 0;
  let parts = 0;
  for (let root = 0; root < size; root++) {
    if (order[root] !== 0) continue;
    const path: { node: number; rest: Iterator<number> }[] = [];
    const enter = (node: number): void => {
      order[node] = low[node] = ++clock;
      open.push(node);
      path.push({ node, rest: next(node)[Symbol.iterator]() });
    };
    enter(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const step = top.rest.next();
      if (step.done !== true) {
        if (order[step.value] === 0) enter(step.value);
        else if (part[step.value] === -1) low[top.node] = Math.min(low[top.node] ?? 0, order[step.value] ?? 0);
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above !== undefined) low[above.node] = Math.min(low[above.node] ?? 0, low[top.node] ?? 0);
      if (low[top.node] !== order[top.node]) continue;
      for (let node = open.pop(); node !== undefined; node = node === top.node ? undefined : open.pop())
        part[node] = parts;
      parts++;
    }
  }
  return part;
}
