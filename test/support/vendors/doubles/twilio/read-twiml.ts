/** The parts of one TwiML response of the product. */
export interface CallStep {
  says: string[];
  /** The number to which Twilio connects the caller, unless the caller presses a key. */
  dial: string | undefined;
  /** The URL to which Twilio posts a pressed key; undefined if the response asks for none. */
  action: string | undefined;
}

/** Reads the verbs of TwiML that the product uses: Say, Gather and Dial. */
export function readTwiml(xml: string): CallStep {
  return {
    says: [...xml.matchAll(/<Say>(.*?)<\/Say>/gs)].map(([, words = '']) => unescapeXml(words)),
    dial: readFirst(xml, /<Dial>(.*?)<\/Dial>/s),
    action: readFirst(xml, /<Gather [^>]*action="([^"]*)"/),
  };
}

function readFirst(xml: string, pattern: RegExp): string | undefined {
  const found = pattern.exec(xml)?.[1];
  return found === undefined ? undefined : unescapeXml(found);
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code?: string, name?: string) =>
    code === undefined ? (NAMED[name ?? ''] ?? whole) : String.fromCodePoint(Number(code)),
  );
}
