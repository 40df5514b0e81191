/** The heap of an isolate in workerd, after a collection, through the inspector. */

interface Answer {
  readonly id?: number;
  readonly error?: unknown;
  readonly result?: { readonly usedSize?: number };
}

/** In MB. The isolate answers even while no request is running. */
export async function heapMegabytes(inspectorPort: number): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${inspectorPort}/main`);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", () => reject(new Error("the inspector does not answer")), { once: true });
  });
  try {
    await ask(socket, 1, "HeapProfiler.collectGarbage");
    const { usedSize } = await ask(socket, 2, "Runtime.getHeapUsage");
    return (usedSize ?? Number.NaN) / 1_048_576;
  } finally {
    socket.close();
  }
}

function ask(socket: WebSocket, id: number, method: string): Promise<NonNullable<Answer["result"]>> {
  return new Promise((resolve, reject) => {
    const onMessage = ({ data }: MessageEvent): void => {
      const answer = JSON.parse(String(data)) as Answer; // What the inspector's protocol promises.
      if (answer.id !== id) return; // Events come in between.
      socket.removeEventListener("message", onMessage);
      if (answer.result === undefined) reject(new Error(`${method}: ${JSON.stringify(answer.error)}`));
      else resolve(answer.result);
    };
    socket.addEventListener("message", onMessage);
    socket.send(JSON.stringify({ id, method }));
  });
}
