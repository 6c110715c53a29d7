import { namedEnum } from '../../contracts/named-enum.js';

export const messageChannel = namedEnum('MessageChannel', ['email', 'sms'], {
  email: 'A mail',
  sms: 'A text message',
});

export const messageState = namedEnum('MessageState', ['queued', 'sent', 'failed', 'received'], {
  queued: 'On its way to the provider',
  sent: 'The provider accepted it',
  failed: 'It could not be delivered',
  received: 'A customer sent it',
});

export const messageDirection = namedEnum('MessageDirection', ['outbound', 'inbound'], {
  outbound: 'To a customer or driver',
  inbound: 'From a customer or driver',
});
