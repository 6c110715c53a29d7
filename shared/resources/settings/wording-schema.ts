import Joi from 'joi';
import { multilineText, text } from '../../contracts/schemas/fields.js';
import { KNOWN_PLACEHOLDERS_ONLY, PLACEHOLDERS, WITH_LINK } from '../../documents/wording.js';

const KNOWN = PLACEHOLDERS.map((name) => `{${name}}`).join(', ');
const KNOWN_ONLY = `have in braces only ${KNOWN}`;

const DESCRIPTIONS = {
  mail_subject: `Subject of the mail with an invoice. It may name ${KNOWN}. null: the service's subject`,
  mail_text: `First paragraphs of the mail with an invoice. May name the same as mail_subject. null: none`,
  sms_text: `Text message with an invoice. It must contain {link}, and may name the same as mail_subject. null: the service's text`,
};

const EXAMPLES = {
  mail_subject: 'Your invoice {invoice_number} from {company}',
  mail_text: 'Thank you for calling {company}. Your balance is {balance}, due {due_date}.',
  sms_text: '{company}: you owe {balance} for invoice {invoice_number}. See {link}',
};

const wordingField = (name: keyof typeof EXAMPLES, schema = Joi.string()) =>
  schema.allow(null).example(EXAMPLES[name]).description(DESCRIPTIONS[name]);

/** The account's own texts of messages. Null restores the service's standard text. */
export const wording = () => ({
  mail_subject: wordingField('mail_subject', text(150).pattern(KNOWN_PLACEHOLDERS_ONLY, KNOWN_ONLY)),
  mail_text: wordingField('mail_text', multilineText(2000).pattern(KNOWN_PLACEHOLDERS_ONLY, KNOWN_ONLY)),
  sms_text: wordingField('sms_text', text(300).pattern(WITH_LINK, `contain {link}, and ${KNOWN_ONLY}`)),
});

/** The account's own texts of messages, as the API returns them. */
export const wordingText = () => ({
  mail_subject: wordingField('mail_subject'),
  mail_text: wordingField('mail_text'),
  sms_text: wordingField('sms_text'),
});
