import type { Config } from '../../shared/config/config.js';
import type { MessageSender } from '../../shared/integrations/contract/messaging.js';
import type { Vendors } from '../../shared/integrations/contract/vendor.js';
import { VendorError } from '../../shared/integrations/contract/vendor-error.js';

/**
 * Finds the sender of a provider. Returns undefined if this version does not support the provider.
 */
export type Providers = (name: string) => MessageSender | undefined;

export function createProviders(config: Config, vendors: Vendors): Providers {
  const senders = new Map<string, MessageSender>();
  return (name) => {
    const vendor = vendors.findOperatorVendor(name);
    if (!vendor) return undefined;
    const sender = senders.get(name) ?? vendor.openSender(config) ?? noMailServer;
    senders.set(name, sender);
    return sender;
  };
}

/**
 * Refuses messages that were queued before SMTP_URL was removed. Otherwise they would wait forever.
 */
const noMailServer: MessageSender = {
  async send() {
    throw new VendorError('No mail server is configured any more.', { kind: 'refused' });
  },
};
