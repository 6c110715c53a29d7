/**
 * Runs random sequences of sending, refusing, retrying and viewing. The invoice, its messages and
 * its events must equal those of a model.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { countRuns } from '../../support/count-runs.js';
import type { MailBehavior } from '../../support/network/mail-server.js';
import { eventually } from '../../support/poll.js';
import { useMailFixture } from './mail-fixture.js';

const SEED = Number(process.env.FC_SEED ?? Date.now() % 1e7);
const RUNS = countRuns(30);
const PAYER = 'payer-of-the-model@example.com';

/** Maps the reply of a step to the behavior of the mail server. */
const MANNERS: Readonly<Record<'accepts' | 'refuses' | 'defers', MailBehavior>> = {
  accepts: { as: 'accept' },
  refuses: { as: 'refuse', code: 550, text: 'no', at: 'recipient' },
  defers: { as: 'refuse', code: 451, text: 'later', at: 'data' },
};
type ServerReply = keyof typeof MANNERS;

interface Step {
  act: 'send' | 'attempt' | 'retry' | 'view';
  reply: ServerReply;
}

const steps = fc.array(
  fc.record<Step>({
    act: fc.constantFrom('send', 'attempt', 'retry', 'view'),
    reply: fc.constantFrom<ServerReply>('accepts', 'refuses', 'defers'),
  }),
  { minLength: 1, maxLength: 8 },
);

class Model {
  status = 'approved';
  delivery: 'queued' | 'sent' | 'failed' | null = null;
  events = 0;
  /** The states of the invoice's messages, oldest first. */
  messages: ('queued' | 'sent' | 'failed')[] = [];

  get latest() {
    return this.messages.at(-1);
  }

  allows({ act }: Step): boolean {
    if (act === 'send') return ['approved', 'viewed', 'failed'].includes(this.status);
    if (act === 'attempt') return this.latest === 'queued';
    if (act === 'retry') return this.latest === 'failed';
    return this.messages.length > 0;
  }

  apply({ act, reply }: Step): void {
    if (act === 'view') {
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
    this.applyReply(reply);
  }

  private applyReply(reply: ServerReply): void {
    this.messages[this.messages.length - 1] = { accepts: 'sent', refuses: 'failed', defers: 'queued' }[
      reply
    ] as 'sent';
    if (this.delivery !== 'queued' || reply === 'defers') return;
    if (reply === 'accepts') this.events += 1;
    this.delivery = reply === 'accepts' ? 'sent' : 'failed';
    if (reply === 'refuses' && this.status === 'sending') this.status = 'failed';
  }
}

describe(`random sequences of invoice mails (seed ${SEED}; set FC_SEED to repeat it)`, () => {
  const mail = useMailFixture();

  /** Runs a step, and waits until the product has stored the mail server's reply. */
  async function runStep(id: string, { act, reply }: Step): Promise<void> {
    const { client } = mail.tenant;
    if (act === 'view') {
      const [{ id: message }] = await mail.listMessages(id);
      const { body_text } = await mail.read(`/messages/${message}`);
      const [path] = /\/i\/[\w-]+/.exec(body_text) ?? [];
      expect((await fetch(`${mail.stack.origin}${path}`)).status).to.equal(200);
      return;
    }
    mail.server.setNextBehaviors({ ...MANNERS[reply], to: PAYER });
    const [latest] = await mail.listMessages(id);
    if (act === 'send') expect((await client.post(`/invoices/${id}/send`, {})).status).to.equal(200);
    else if (act === 'retry')
      expect((await client.post(`/messages/${latest.id}/retry`, {})).status).to.equal(200);
    else await mail.retryNow(latest.id);
    await eventually(`the reply to ${act}`, async () => {
      const [message] = await mail.listMessages(id);
      return message.state !== 'queued' || message.error !== null;
    });
  }

  it('each release whose mail the server accepts fires invoice.sent once, and stored states match the server', async () => {
    const property = fc.asyncProperty(steps, async (randomSteps) => {
      const model = new Model();
      const id = await mail.createApprovedInvoice({ billing_email: PAYER });
      for (const step of randomSteps) {
        if (!model.allows(step)) continue;
        await runStep(id, step);
        model.apply(step);
        const invoice = await mail.read(`/invoices/${id}`);
        const messages = (await mail.listMessages(id)).reverse();
        const errors = messages.map((message) => message.error);
        const title = `after ${step.act} ${step.reply}; errors: ${errors}`;
        const stored = {
          status: invoice.status,
          delivery: invoice.delivery?.state ?? null,
          messages: messages.map((message) => message.state),
          events: (await mail.listEvents(id)).length,
        };
        expect(stored, title).to.deep.equal({ ...model });
        for (const message of messages) {
          const copies = mail.countAcceptedMails(message.id);
          if (message.state === 'sent') expect(copies).to.be.above(0);
          else expect(copies).to.equal(0);
        }
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  });
});
