import { namedEnum } from '../../contracts/named-enum.js';

export const autopayTime = namedEnum('AutopayTime', ['release', 'due_date'], {
  release: 'When the invoice is sent',
  due_date: 'On the day on which the invoice is due',
});
