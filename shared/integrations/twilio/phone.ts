import type { CallAnswer, PhoneInbound } from '../contract/vendor.js';

const TWIML = 'text/xml; charset=utf-8';
const OPT_OUT_TYPES = ['STOP', 'START', 'HELP'] as const;
const MAX_FIELD_CHARS = 64;
/** Carriers send at most 1,600 characters in one text. */
const MAX_TEXT_CHARS = 1600;
/** Seconds that a caller has to press a key. */
const MENU_SECONDS = 8;

/**
 * Reads the forms that Twilio posts when a customer texts or calls the account's number. Builds the
 * TwiML responses.
 */
export const phone: PhoneInbound = {
  readText(body) {
    const form = readForm(body, ['MessageSid', 'From', 'To']);
    return {
      externalId: read(form, 'MessageSid'),
      from: read(form, 'From'),
      to: read(form, 'To'),
      text: (form.get('Body') ?? '').slice(0, MAX_TEXT_CHARS),
      optOutType: OPT_OUT_TYPES.find((type) => type === form.get('OptOutType')) ?? null,
    };
  },
  textAnswer: { contentType: TWIML, body: wrap('') },
  readCall(body) {
    const form = readForm(body, ['CallSid', 'From']);
    const spoken = form.get('SpeechResult')?.match(/\d/)?.[0];
    return {
      externalId: read(form, 'CallSid'),
      from: read(form, 'From'),
      digit: form.get('Digits')?.slice(0, 1) || spoken || null,
    };
  },
  renderCall: (answer) => ({ contentType: TWIML, body: wrap(renderVerbs(answer)) }),
};

/**
 * Reads a number or an id. Truncates it, because anyone who knows the auth token could post a
 * longer value.
 */
function read(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? '').slice(0, MAX_FIELD_CHARS);
}

/** @throws {Error} if a required field is absent, which means that the form is not from Twilio */
function readForm(body: Buffer, required: readonly string[]): URLSearchParams {
  const form = new URLSearchParams(body.toString('utf8'));
  const missing = required.filter((name) => !form.get(name));
  if (missing.length > 0) throw new Error(`the form has no ${missing.join(', ')}`);
  return form;
}

/**
 * If the caller presses no key in the menu, Twilio runs the next verb, which connects the caller.
 */
function renderVerbs({ sentences, menuUrl, dialNumber }: CallAnswer): string {
  const says = sentences.map((sentence) => `<Say>${escapeXml(sentence)}</Say>`).join('');
  const dial = dialNumber === undefined ? '' : `<Dial>${escapeXml(dialNumber)}</Dial>`;
  if (menuUrl === undefined) return says + dial;
  const attributes = `input="dtmf speech" numDigits="1" method="POST" timeout="${MENU_SECONDS}" action="${escapeXml(menuUrl)}"`;
  return `<Gather ${attributes}>${says}</Gather>${dial}`;
}

function wrap(verbs: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${verbs}</Response>`;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
