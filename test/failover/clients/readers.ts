import type { Load } from '../../support/load/load.js';
import { type Attempt, RepeatingClients, send } from './repeating-clients.js';

/** Clients that read invoices whose creation was acknowledged. */
export class Readers extends RepeatingClients {
  /** The invoices that a reader did not find, or found with another number. */
  readonly lostIds = new Set<string>();

  constructor(
    private readonly origin: string,
    private readonly load: Load,
  ) {
    super(4, 150);
  }

  protected begin(): Attempt {
    const known = this.load.calls.filter(({ outcome }) => outcome === 'ok');
    const call = known[Math.floor(Math.random() * known.length)];
    if (!call?.id) return async () => false;
    const { id, body, tenant } = call;
    return async () => {
      const reply = await send(`${this.origin}/v1/invoices/${id}`, tenant.key);
      if (!reply) return false;
      if (reply.body.invoice_number !== body.invoice_number) this.lostIds.add(id);
      return true;
    };
  }
}
