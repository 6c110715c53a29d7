/** Any sequence of sending, refusing, retrying and being seen leaves invoice, messages and events as a model has them. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Manner } from '../support/mail-server.js';
import { eventually } from '../support/poll.js';
import { MailFixture } from './mail-fixture.js';

const SEED = Number(process.env.FC_SEED ?? Date.now() % 1e7);
const RUNS = 30;

/** What the server makes of the mail that a step offers it. */
const MANNERS: Readonly<Record<'takes' | 'refuses' | 'waits', Manner>> = {
  takes: { as: 'accept' },
  refuses: { as: 'refuse', code: 550, text: 'no', at: 'recipient' },
  waits: { as: 'refuse', code: 451, text: 'later', at: 'data' },
};
type Answer = keyof typeof MANNERS;

interface Step {
  act: 'send' | 'again' | 'retry' | 'look';
  answer: Answer;
}

const steps = fc.array(
  fc.record<Step>({
    act: fc.constantFrom('send', 'again', 'retry', 'look'),
    answer: fc.constantFrom<Answer>('takes', 'refuses', 'waits'),
  }),
  { minLength: 1, maxLength: 8 },
);

/** One invoice as it ought to be. */
class Model {
  status = 'approved';
  delivery: 'queued' | 'sent' | 'failed' | null = null;
  events = 0;
  /** States of its messages, the oldest first. */
  messages: ('queued' | 'sent' | 'failed')[] = [];

  get latest() {
    return this.messages.at(-1);
  }

  /** Whether the step is one that can be made now. */
  allows({ act }: Step): boolean {
    if (act === 'send') return ['approved', 'viewed', 'failed'].includes(this.status);
    if (act === 'again') return this.latest === 'queued';
    if (act === 'retry') return this.latest === 'failed';
    return this.messages.length > 0;
  }

  make({ act, answer }: Step): void {
    if (act === 'look') {
      if (this.status === 'sending') this.status = 'viewed';
      return;
    }
    if (act === 'send') {
      this.messages = this.messages.map((state) => (state === 'queued' ? 'failed' : state));
      this.messages.push('queued');
      this.status = 'sending';
      this.delivery = 'queued';
    } else if (act === 'retry') {
      if (this.delivery !== 'sent') this.delivery = 'queued';
      if (this.status === 'failed') this.status = 'sending';
    }
    this.hear(answer);
  }

  private hear(answer: Answer): void {
    this.messages[this.messages.length - 1] = { takes: 'sent', refuses: 'failed', waits: 'queued' }[
      answer
    ] as 'sent';
    if (this.delivery !== 'queued' || answer === 'waits') return;
    if (answer === 'takes') this.events += 1;
    this.delivery = answer === 'takes' ? 'sent' : 'failed';
    if (answer === 'refuses' && this.status === 'sending') this.status = 'failed';
  }
}

describe(`any sequence of mails of an invoice (seed ${SEED}; FC_SEED repeats it)`, () => {
  let mail: MailFixture;

  before(async () => {
    mail = await MailFixture.start();
  });
  after(() => mail.stop());

  /** Makes a step and waits until the server's answer to it is known here. */
  async function make(id: string, { act, answer }: Step): Promise<void> {
    const { client } = mail.tenant;
    if (act === 'look') {
      const [{ id: message }] = await mail.messages(id);
      const { body_text } = await mail.read(`/messages/${message}`);
      const [path] = /\/i\/[\w-]+/.exec(body_text) ?? [];
      expect((await fetch(`${mail.stack.origin}${path}`)).status).to.equal(200);
      return;
    }
    mail.server.expect(MANNERS[answer]);
    const [latest] = await mail.messages(id);
    if (act === 'send') expect((await client.post(`/invoices/${id}/send`, {})).status).to.equal(200);
    else if (act === 'retry')
      expect((await client.post(`/messages/${latest.id}/retry`, {})).status).to.equal(200);
    else await mail.hurry(latest.id);
    await eventually(`the answer to ${act}`, async () => {
      const [message] = await mail.messages(id);
      return message.state !== 'queued' || message.error !== null;
    });
  }

  it('fires invoice.sent once for each release that arrived, and never says otherwise than the server', async () => {
    const property = fc.asyncProperty(steps, async (wanted) => {
      const model = new Model();
      const id = await mail.approved();
      for (const step of wanted) {
        if (!model.allows(step)) continue;
        await make(id, step);
        model.make(step);
        const invoice = await mail.read(`/invoices/${id}`);
        const messages = (await mail.messages(id)).reverse();
        expect({
          status: invoice.status,
          delivery: invoice.delivery?.state ?? null,
          messages: messages.map((message) => message.state),
          events: (await mail.events(id)).length,
        }).to.deep.equal({ ...model });
        for (const message of messages) {
          const copies = mail.copies(message.id);
          if (message.state === 'sent') expect(copies).to.be.above(0);
          else expect(copies).to.equal(0);
        }
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  });
});
