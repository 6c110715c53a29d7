export interface ServerSentEvent {
  /** The position in the stream. Undefined if the event does not change the position. */
  id?: string;
  type: string;
  /** Empty if the block contains only a position. */
  data: string;
}

/**
 * Splits a text/event-stream into events. The browser's EventSource does not work here, because it
 * cannot send the header X-Environment.
 * @param onText called for every chunk, including the comments that keep the connection open
 */
export async function readEventStream(
  body: ReadableStream<Uint8Array>,
  { onEvent, onText }: { onEvent: (event: ServerSentEvent) => void; onText: () => void },
): Promise<void> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onText();
    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event) onEvent(event);
    }
  }
}

function parseBlock(block: string): ServerSentEvent | undefined {
  let id: string | undefined;
  let type = 'message';
  const data: string[] = [];
  for (const row of block.split(/\r?\n/)) {
    const [, field, value = ''] = /^(\w+):? ?(.*)$/.exec(row) ?? [];
    if (field === 'id') id = value;
    else if (field === 'event') type = value;
    else if (field === 'data') data.push(value);
  }
  if (data.length === 0 && id === undefined) return undefined;
  return { ...(id === undefined ? {} : { id }), type, data: data.join('\n') };
}
