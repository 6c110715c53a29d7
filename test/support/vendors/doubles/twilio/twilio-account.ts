import { createHmac } from 'node:crypto';
import { token } from './messages.js';
import { type CallStep, readTwiml } from './read-twiml.js';

/** The product's response to a request that Twilio posts. */
export interface PostAnswer {
  status: number;
  text: string;
}

/** A call that a person makes on the control page, with the last response of the product. */
export interface OngoingCall {
  sid: string;
  from: string;
  /** Entries for each text that the caller heard, and for each key that the caller pressed. */
  log: string[];
  step: CallStep;
}

/**
 * The words that Twilio itself obeys. STOP_WORDS stop all texts to a number, and START_WORDS allow
 * them again.
 */
const STOP_WORDS = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT'];
const START_WORDS = ['START', 'YES', 'UNSTOP'];

/** Returns the header X-Twilio-Signature of a form that Twilio posts to `url`. */
export function signForm(url: string, form: Record<string, string>, authToken: string): string {
  const fields = Object.keys(form)
    .sort()
    .map((name) => `${name}${form[name]}`);
  return createHmac('sha1', authToken)
    .update(url + fields.join(''))
    .digest('base64');
}

/** One account at Twilio, with its phone number. */
export class TwilioAccount {
  /** The URLs that are set for the phone number. Twilio posts incoming texts and calls to them. */
  inboundUrls = { messages: '', voice: '' };
  /** The number from which the product last sent a text. */
  number = '+15185550100';
  /** The numbers that have asked for no more texts. */
  readonly optedOut = new Set<string>();
  readonly received: { from: string; body: string; answer: string }[] = [];
  call: OngoingCall | undefined;
  /** The number of seconds by which Twilio's clock is ahead of ours. */
  skewSeconds = 0;
  /** The origin at which the product listens, if its URLs name another, public origin. */
  productOrigin: string | undefined;

  constructor(
    readonly sid: string,
    readonly authToken: string,
    /** Called with each form before it is posted to the product. */
    private readonly onPost: (form: Record<string, string>) => void = () => undefined,
  ) {}

  /** Posts a signed form, as Twilio does, and returns the answer. */
  async post(url: string, fields: Record<string, string>, origin = this.productOrigin): Promise<PostAnswer> {
    const form = { AccountSid: this.sid, ...fields };
    this.onPost(form);
    const { pathname, search, origin: publicOrigin } = new URL(url);
    const response = await fetch(`${origin ?? publicOrigin}${pathname}${search}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': signForm(url, form, this.authToken),
      },
      body: new URLSearchParams(form).toString(),
    });
    return { status: response.status, text: await response.text() };
  }

  /**
   * Sends a text from a customer to the account's number. Twilio obeys STOP itself, and still posts
   * the text to the product.
   */
  async receive(from: string, body: string): Promise<void> {
    const word = body.trim().toUpperCase();
    if (STOP_WORDS.includes(word)) this.optedOut.add(from);
    if (START_WORDS.includes(word)) this.optedOut.delete(from);
    const form = { MessageSid: `SM${token()}`, From: from, To: this.number, Body: body, NumMedia: '0' };
    const { status } = await this.post(this.inboundUrls.messages, form);
    this.received.push({ from, body, answer: `the product answered ${status}` });
  }

  /** Lets a customer call the account's number. The call's log contains the menu. */
  async startCall(from: string): Promise<void> {
    const sid = `CA${token()}`;
    this.call = { sid, from, log: [], step: { says: [], dial: undefined, action: undefined } };
    await this.takeStep(this.call, this.inboundUrls.voice, {});
  }

  /**
   * Presses a key as the caller. If `digit` is undefined, the menu times out, and Twilio connects
   * the caller to the dispatcher.
   */
  async press(digit: string | undefined): Promise<void> {
    const { call } = this;
    const action = call?.step.action;
    if (!call || action === undefined) return;
    call.log.push(digit === undefined ? '(no key)' : `(key ${digit})`);
    if (digit !== undefined) return this.takeStep(call, action, { Digits: digit });
    const { dial } = call.step;
    if (dial !== undefined) call.log.push(`Connected to ${dial}.`);
    call.step = { says: [], dial, action: undefined };
  }

  private async takeStep(call: OngoingCall, url: string, fields: Record<string, string>): Promise<void> {
    const form = {
      CallSid: call.sid,
      From: call.from,
      To: this.number,
      CallStatus: 'in-progress',
      ...fields,
    };
    const { status, text } = await this.post(url, form);
    call.step = readTwiml(text);
    call.log.push(...(status === 200 ? call.step.says : [`The product answered ${status}.`]));
    if (call.step.action === undefined && call.step.dial !== undefined)
      call.log.push(`Connected to ${call.step.dial}.`);
  }
}
