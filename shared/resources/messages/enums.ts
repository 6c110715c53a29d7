import { namedEnum } from '../../contracts/named-enum.js';

export const messageChannel = namedEnum('MessageChannel', ['email', 'sms'], {
  email: 'A mail',
  sms: 'A text message',
});
