import type { ContractCheck } from '../../contracts/contract-check.js';

/*
 * Twilio's contract describes neither its errors nor the forms that it posts. These checks follow
 * Twilio's documentation: https://www.twilio.com/docs/usage/twilios-response and
 * https://www.twilio.com/docs/messaging/guides/webhook-request. Only the states of a text are in
 * the contract.
 */

/** Builds the body of an error response. */
export function buildError(status: number, code: number, message: string): object {
  return { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status };
}

const ERROR_MEMBERS = ['code', 'message', 'more_info', 'status'];

/** Lists the ways in which the body of an error response is not as Twilio documents it. */
export function listErrorFaults(status: number, body: unknown): string[] {
  const error = Object(body) as Record<string, unknown>;
  const faults = ERROR_MEMBERS.filter((name) => !(name in error)).map((name) => `${name} is missing`);
  const unknown = Object.keys(error).filter((name) => !ERROR_MEMBERS.includes(name));
  faults.push(...unknown.map((name) => `${name} is no member of Twilio's errors`));
  if (!/^[1-9]\d{4}$/.test(String(error.code))) faults.push(`${error.code} is no code of Twilio`);
  if (error.status !== status && status < 500) faults.push(`the body says ${error.status}`);
  return faults;
}

const SID = (prefix: string) => new RegExp(`^(${prefix})[0-9a-f]{32}$`, 'i');
const PHONE = /^\+[1-9]\d{6,14}$/;

/** The fields of forms, and what Twilio sends in them. */
const FIELDS: Readonly<Record<string, RegExp>> = {
  AccountSid: SID('AC'),
  MessageSid: SID('SM|MM'),
  CallSid: SID('CA'),
  From: PHONE,
  To: PHONE,
  Body: /^.{0,1600}$/s,
  NumMedia: /^\d+$/,
  MessageStatus: /^[a-z_]+$/,
  ErrorCode: /^[1-9]\d{4}$/,
  OptOutType: /^(STOP|START|HELP)$/,
  CallStatus: /^(queued|ringing|in-progress|completed|busy|failed|no-answer|canceled)$/,
  Digits: /^[0-9*#]+$/,
  SpeechResult: /^.+$/,
};

/** The schema of the contract that lists the states of a text. */
const STATES = 'message_enum_status';

/** Lists the ways in which a form that the double posts is not as Twilio documents it. */
export function listPostFaults(
  form: Readonly<Record<string, string>>,
  contract: ContractCheck | undefined,
): string[] {
  const faults = Object.entries(form).flatMap(([name, value]) =>
    FIELDS[name]?.test(value) ? [] : [`${name}=${value}`],
  );
  if (!('MessageSid' in form) && !('CallSid' in form)) faults.push('neither MessageSid nor CallSid');
  if (!('From' in form)) faults.push('no From');
  if (form.MessageStatus !== undefined)
    faults.push(...(contract?.checkSchema(STATES, form.MessageStatus) ?? []));
  return faults;
}
