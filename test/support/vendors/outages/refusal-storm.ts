import { expect } from 'chai';
import type { ArrivedCall, VendorDouble } from '../contracts/vendor-double.js';

/**
 * Lets a double refuse the calls of an account with 429 and these Retry-After headers, one after
 * another. After that, the double behaves.
 */
export class RefusalStorm {
  /** The calls of the account since the storm began. */
  private readonly calls: ArrivedCall[] = [];
  private refused = 0;

  constructor(
    private readonly double: VendorDouble,
    authorization: string,
    private readonly seconds: readonly number[],
  ) {
    let isOwn = false;
    double.onArrival = (call) => {
      isOwn = call.authorization === authorization;
      if (isOwn) this.calls.push(call);
    };
    double.misbehave = () => {
      if (!isOwn) return undefined;
      const wait = seconds[this.refused];
      if (wait === undefined) return undefined;
      this.refused += 1;
      return { kind: 'limit', seconds: wait };
    };
  }

  /**
   * Expects that all refusals were used, and that no call came before a refusal allowed it. Ends
   * the watch.
   */
  expectObeyed(): void {
    this.double.onArrival = () => undefined;
    expect(this.refused, 'refused calls').to.equal(this.seconds.length);
    let retryAt = 0;
    const early: string[] = [];
    for (const call of this.calls) {
      if (call.at < retryAt) early.push(`${call.name} came ${retryAt - call.at} ms before Retry-After`);
      retryAt = Math.max(retryAt, call.retryAt ?? 0);
    }
    expect(early).to.deep.equal([]);
  }
}
