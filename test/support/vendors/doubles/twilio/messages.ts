import { randomBytes } from 'node:crypto';
import { countSegments } from '../../../../../shared/resources/planned-messages/segments.js';

/** A text that the double has sent, as Twilio's API returns it. */
export interface SentMessage {
  sid: string;
  account_sid: string;
  to: string;
  from: string;
  body: string;
  status: string;
  error_code: number | null;
  error_message: string | null;
  date_created: string;
  date_updated: string;
  callback: string;
}

const USUAL_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 1000;
/** The price of a segment in dollars. Twilio reports a text's price only after sending the text. */
const SEGMENT_PRICE = 0.0083;
const UNPRICED = ['queued', 'accepted', 'scheduled', 'sending', 'canceled'];

export function buildMessage(
  { sid: accountSid, skewSeconds }: { sid: string; skewSeconds: number },
  form: Record<string, string>,
): SentMessage {
  const { To: to = '', From, MessagingServiceSid, Body: body = '', StatusCallback: callback = '' } = form;
  const createdAt = toRfc2822(new Date(Date.now() + skewSeconds * 1000));
  return {
    sid: `SM${token()}`,
    account_sid: accountSid,
    to,
    from: From ?? MessagingServiceSid ?? '',
    body,
    status: 'queued',
    error_code: null,
    error_message: null,
    date_created: createdAt,
    date_updated: createdAt,
    callback,
  };
}

/** Returns the resource of a text, with all members of Twilio's answers. */
export function showMessage({ callback: _callback, ...message }: SentMessage): object {
  const segments = countSegments(message.body);
  const hasPrice = !UNPRICED.includes(message.status);
  const uri = `/2010-04-01/Accounts/${message.account_sid}/Messages/${message.sid}.json`;
  return {
    ...message,
    direction: 'outbound-api',
    num_segments: String(segments),
    num_media: '0',
    price: hasPrice ? (-segments * SEGMENT_PRICE).toFixed(5) : null,
    price_unit: 'USD',
    date_sent: hasPrice ? message.date_created : null,
    messaging_service_sid: null,
    api_version: '2010-04-01',
    uri,
    subresource_uris: { media: uri.replace('.json', '/Media.json') },
  };
}

/** Lists texts, newest first, in pages. A page names the path of the next one. */
export function listMessages(
  path: string,
  own: readonly SentMessage[],
  form: Record<string, string>,
): { status: number; result: object } {
  const found = own.filter((message) => matches(message, form)).reverse();
  const size = Math.min(Number(form.PageSize ?? USUAL_PAGE_SIZE), MAX_PAGE_SIZE);
  const page = Number(form.Page ?? 0);
  const last = found.findIndex(({ sid }) => form.PageToken === `PA${sid}`);
  const start = form.PageToken === undefined ? page * size : last + 1;
  const data = found.slice(start, start + size);
  const toPath = (fields: Record<string, string>) =>
    `${path}?${new URLSearchParams({ ...form, PageSize: String(size), ...fields })}`;
  const hasMore = start + size < found.length;
  const next = hasMore ? toPath({ Page: String(page + 1), PageToken: `PA${data.at(-1)?.sid}` }) : null;
  return {
    status: 200,
    result: {
      messages: data.map(showMessage),
      first_page_uri: toPath({ Page: '0' }),
      next_page_uri: next,
      previous_page_uri: null,
      page,
      page_size: size,
      start,
      end: start + data.length - 1,
      uri: toPath({}),
    },
  };
}

/** True if Twilio's filters find the text. A date without a time means its midnight (UTC). */
function matches({ to, from, date_created }: SentMessage, form: Record<string, string>): boolean {
  const at = Date.parse(date_created);
  const after = form['DateSent>'];
  const before = form['DateSent<'];
  return (
    (form.To === undefined || form.To === to) &&
    (form.From === undefined || form.From === from) &&
    (after === undefined || at >= Date.parse(after)) &&
    (before === undefined || at <= Date.parse(before))
  );
}

function toRfc2822(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000');
}

export function token(): string {
  return randomBytes(16).toString('hex');
}
