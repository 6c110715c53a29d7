/** The fields between two blank lines of an event stream. */
export interface SseBlock {
  id?: string;
  /** Value of the field `event`. */
  type?: string;
  data?: string;
  retryMs?: number;
}

/**
 * Parses server-sent events as the HTML standard defines them, in chunks of any size. Parser
 * libraries drop blocks that have an id but no data; this parser returns them. The API sends such
 * blocks to tell a client where to continue after a disconnection.
 */
export class SseParser {
  private rest = '';
  private block: SseBlock = {};
  private isFirst = true;

  /** Parses the next chunk of decoded text and returns the blocks that it completes. */
  feed(text: string): SseBlock[] {
    const lines = this.splitLines(text);
    return lines.flatMap((line) => {
      if (line !== '') {
        this.parseField(line);
        return [];
      }
      const block = this.block;
      this.block = {};
      return Object.keys(block).length > 0 ? [block] : [];
    });
  }

  private splitLines(text: string): string[] {
    let all = this.rest + text;
    if (this.isFirst && all !== '') {
      this.isFirst = false;
      all = all.replace(/^\uFEFF/, '');
    }
    // Keep a CR at the end for the next chunk, because it may be the first half of a CRLF.
    const trailingCr = all.endsWith('\r') ? '\r' : '';
    const lines = all.slice(0, all.length - trailingCr.length).split(/\r\n|\n|\r/);
    this.rest = (lines.pop() ?? '') + trailingCr;
    return lines;
  }

  private parseField(line: string): void {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    const block = this.block;
    if (name === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
    else if (name === 'event') block.type = value;
    else if (name === 'id' && !value.includes('\0')) block.id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) block.retryMs = Number(value);
  }
}
