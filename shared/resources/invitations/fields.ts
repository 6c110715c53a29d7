import { role } from '../../contracts/enums.js';
import { namedEnum } from '../../contracts/named-enum.js';
import { dateTime, email } from '../../contracts/schemas/fields.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';

const STATUSES = ['open', 'accepted', 'revoked', 'expired'] as const;

export const invitationStatus = namedEnum('InvitationStatus', STATUSES, {
  open: 'The mailed link works',
  accepted: 'The person has joined the account',
  revoked: 'Somebody revoked it, or a newer invitation of the address replaced it',
  expired: 'Nobody accepted it in time',
});

export const invitationFields = defineFields({
  id: recordId(),
  email: {
    input: email().example('sam@hudson-towing.example', { override: true }),
    isRequired: true,
    columns: 'text',
  },
  role: {
    input: role.description('What the person may do').example('driver'),
    output: role,
    isRequired: true,
    columns: 'text',
  },
  status: {
    output: invitationStatus,
    sql: (
      alias,
    ) => `case when ${alias}.accepted_at is not null then 'accepted' when ${alias}.revoked_at is not null then 'revoked'
      when ${alias}.expires_at <= now() then 'expired' else 'open' end`,
    columns: null,
    isComputedOnRead: true,
  },
  created_at: time(),
  updated_at: time(),
  expires_at: time(dateTime().description('When the link stops working, 7 days after the invitation')),
  accepted_at: time(dateTime().allow(null)),
  revoked_at: time(dateTime().allow(null).description('Also set when a newer invitation replaced it')),
});
