import { namedEnum } from '../../contracts/named-enum.js';
import { INVOICE_ACTIONS } from './transitions.js';

const actionNames = Object.keys(INVOICE_ACTIONS) as (keyof typeof INVOICE_ACTIONS)[];

export const invoiceActionName = namedEnum('InvoiceActionName', actionNames, {
  approve: 'Release it for sending',
  send: 'Send it to the customer, or send it again',
  return: 'Take it back for changes',
  dispute: 'Record that the customer objects',
  resolve: 'End the dispute',
  cancel: 'Abandon it before its release',
  void: 'Annul it after its release',
});

export const deliveryState = namedEnum('DeliveryState', ['queued', 'sent', 'failed'], {
  queued: 'On its way to the provider',
  sent: 'The provider accepted it',
  failed: 'It could not be delivered',
});
