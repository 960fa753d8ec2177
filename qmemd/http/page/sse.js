// Server-sent events as they arrive: pieces of text in, whole events out.

export class SseParser {
  #rest = "";

  /** The events that this piece completes; their data is parsed JSON. Comments are left out. */
  feed(piece) {
    const blocks = (this.#rest + piece).split("\n\n");
    this.#rest = blocks.pop();
    return blocks.map(parse).filter((event) => event !== null);
  }
}

function parse(block) {
  const fields = new Map();
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ""));
  }
  if (!fields.has("data")) return null;
  const body = JSON.parse(fields.get("data"));
  const stamp = body._meta?.serverTimestamp ?? Date.now();
  return { id: fields.get("id"), type: fields.get("event"), data: body.data ?? {}, at: stamp };
}
