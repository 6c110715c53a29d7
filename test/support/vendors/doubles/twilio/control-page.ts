import type { ServerResponse } from 'node:http';
import { type SentMessage, showMessage } from './messages.js';
import type { TwilioAccount } from './twilio-account.js';

interface PageRequest {
  method: string;
  body: string;
  response: ServerResponse;
}

/** The parts of the double that the control page shows and changes. */
export interface ControlledDouble {
  listAccounts(): TwilioAccount[];
  readonly messages: SentMessage[];
  report(message: SentMessage, status: string, options: { errorCode?: number }): Promise<number>;
}

/** The states that a person can give to a text, by the button's name. */
const REPORTS: Readonly<Record<string, { status: string; errorCode?: number }>> = {
  Deliver: { status: 'delivered' },
  'Do not deliver': { status: 'undelivered', errorCode: 30_003 },
  'Block as spam': { status: 'undelivered', errorCode: 30_007 },
};
const KEYS = ['1', '2', '3', '0'];

/**
 * Serves `/double/`. There a person sees the product's texts and reports whether they arrived. The
 * person can also text and call the account's number.
 */
export async function serveControlPage(
  double: ControlledDouble,
  { method, body, response }: PageRequest,
): Promise<void> {
  if (method === 'POST') {
    const fault = await runAction(double, new URLSearchParams(body)).catch(describe);
    if (fault === undefined) return void response.writeHead(303, { location: '/double/' }).end();
    return answerPage(
      response,
      400,
      `<p role="alert">${escapeText(fault)}</p><p><a href="/double/">Back</a></p>`,
    );
  }
  const sections = double.listAccounts().map((account) => renderAccount(account, double.messages));
  const hint =
    '<p>No account yet. Connect Twilio in the product with the account SID and any auth token that the command has printed.</p>';
  answerPage(response, 200, sections.join('') || hint);
}

function describe(error: unknown): string {
  const { cause, message } = error as Error;
  return `The product did not answer: ${cause instanceof Error ? cause.message : message}`;
}

/** @returns an error message; undefined if the action succeeded */
async function runAction(double: ControlledDouble, form: URLSearchParams): Promise<string | undefined> {
  const read = (name: string) => (form.get(name) ?? '').trim();
  const account = double.listAccounts().find(({ sid }) => sid === read('account'));
  const action = read('action');
  if (!account) return 'There is no such account.';
  if (action === 'Save addresses') {
    const urls = { messages: read('messages'), voice: read('voice') };
    if (!Object.values(urls).every((url) => url === '' || URL.canParse(url)))
      return 'Enter whole addresses, as inbound_urls of the connection shows them.';
    account.inboundUrls = urls;
    return undefined;
  }
  const message = double.messages.find(({ sid }) => sid === read('sid'));
  const report = REPORTS[action];
  if (message && report) {
    const status = await double.report(message, report.status, report);
    return status === 200 ? undefined : `The product answered ${status} to the report.`;
  }
  const { messages, voice } = account.inboundUrls;
  if (action === 'Send the text') {
    if (messages === '') return 'Save the address of "A message comes in" first.';
    await account.receive(read('from'), read('body'));
  }
  if (action === 'Call') {
    if (voice === '') return 'Save the address of "A call comes in" first.';
    await account.startCall(read('from'));
  }
  if (action.startsWith('Key ')) await account.press(action.slice('Key '.length));
  if (action === 'Press nothing') await account.press(undefined);
  if (action === 'Hang up') account.call = undefined;
  return undefined;
}

function renderAccount(account: TwilioAccount, messages: readonly SentMessage[]): string {
  const { sid, inboundUrls, received, call } = account;
  const wrap = (inner: string) =>
    `<form method="post"><input type="hidden" name="account" value="${escapeText(sid)}">${inner}</form>`;
  const field = (label: string, name: string, value: string, size = 24) =>
    `<label>${label} <input name="${name}" size="${size}" value="${escapeText(value)}" required></label> `;
  const button = (action: string) => `<button name="action" value="${action}">${action}</button> `;
  const own = messages.filter(({ account_sid }) => account_sid === sid).reverse();
  const rows = own.map((message) => {
    const { num_segments } = showMessage(message) as { num_segments: string };
    const { to, body, status, error_code: code } = message;
    const buttons = Object.keys(REPORTS).map(button).join('');
    return `<tr><td>${escapeText(to)}</td><td>${escapeText(body)}</td><td>${num_segments}</td><td>${status}${code ? ` (${code})` : ''}</td><td>${wrap(`<input type="hidden" name="sid" value="${message.sid}">${buttons}`)}</td></tr>`;
  });
  const texts = received.map(
    ({ from, body, answer }) => `<li>${escapeText(from)}: ${escapeText(body)} (${answer})</li>`,
  );
  return `<section><h2>${escapeText(sid)}</h2>
    <h3>The phone number</h3>${wrap(`${field('A message comes in', 'messages', inboundUrls.messages, 80)}<br>${field('A call comes in', 'voice', inboundUrls.voice, 80)}<br>${button('Save addresses')}`)}
    <h3>Texts that the product sent</h3><p><a href="/double/">Refresh</a></p>
    <table><thead><tr><th>To</th><th>Text</th><th>Segments</th><th>Status</th><th>Report</th></tr></thead><tbody>${rows.join('')}</tbody></table>
    <h3>Write to the number</h3>${wrap(`${field('From', 'from', '+15185550142')}${field('Text', 'body', 'STOP', 60)}${button('Send the text')}`)}<ul>${texts.join('')}</ul>
    <h3>Call the number</h3>${call ? '' : wrap(`${field('Caller', 'from', '+15185550142')}${button('Call')}`)}${call ? wrap(renderCall(call, button)) : ''}</section>`;
}

function renderCall(
  { from, log, step }: NonNullable<TwilioAccount['call']>,
  button: (action: string) => string,
): string {
  const keys =
    step.action === undefined
      ? ''
      : KEYS.map((key) => button(`Key ${key}`)).join('') + button('Press nothing');
  const heard = log.map((words) => `<li>${escapeText(words)}</li>`).join('');
  return `<p>${escapeText(from)} is on the phone.</p><ol>${heard}</ol>${keys}${button('Hang up')}`;
}

function answerPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' });
  response.end(
    `<!doctype html><html lang="en"><head><title>Twilio double</title></head><body><main><h1>Twilio double</h1>${html}</main></body></html>`,
  );
}

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
