/** What stands between two blank lines of an event stream. */
export interface SseBlock {
  id?: string;
  /** The field `event`. */
  type?: string;
  data?: string;
  retryMs?: number;
}

/**
 * Reads server-sent events as the HTML standard says, whatever pieces they come in. The libraries that do it drop an id without data; ours may not:
 * the stream tells with one where it starts and how far it has read.
 */
export class SseParser {
  private rest = '';
  private block: SseBlock = {};
  private isFirst = true;

  /** Takes the next piece of decoded text and gives the blocks that it completes. */
  feed(text: string): SseBlock[] {
    const lines = this.takeLines(text);
    return lines.flatMap((line) => {
      if (line !== '') {
        this.takeField(line);
        return [];
      }
      const block = this.block;
      this.block = {};
      return Object.keys(block).length > 0 ? [block] : [];
    });
  }

  private takeLines(text: string): string[] {
    let all = this.rest + text;
    if (this.isFirst && all !== '') {
      this.isFirst = false;
      all = all.replace(/^\uFEFF/, '');
    }
    // A CR at the end may be half of a CRLF.
    const held = all.endsWith('\r') ? '\r' : '';
    const lines = all.slice(0, all.length - held.length).split(/\r\n|\n|\r/);
    this.rest = (lines.pop() ?? '') + held;
    return lines;
  }

  private takeField(line: string): void {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    const block = this.block;
    if (name === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
    else if (name === 'event') block.type = value;
    else if (name === 'id' && !value.includes('\0')) block.id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) block.retryMs = Number(value);
  }
}
