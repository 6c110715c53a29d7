import type { BookCustomer, BookCustomerState } from '../contract/accounting.js';
import type { Change } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import type { XeroRecord } from './api/pages.js';

interface Address {
  AddressType?: string;
  AddressLine1?: string;
  AddressLine2?: string;
  AddressLine3?: string;
  AddressLine4?: string;
  City?: string;
  Region?: string;
  PostalCode?: string;
}

interface Phone {
  PhoneType?: string;
  PhoneNumber?: string;
  PhoneAreaCode?: string;
  PhoneCountryCode?: string;
}

export interface XeroContact extends XeroRecord {
  ContactID: string;
  /** Our customer's id. People cannot change it in Xero. */
  ContactNumber?: string;
  ContactStatus?: string;
  Name?: string;
  EmailAddress?: string;
  Phones?: Phone[];
  Addresses?: Address[];
}

/** Xero's limits of characters. */
export const MAX_NAME = 255;
const MAX_EMAIL = 255;
const MAX_PHONE = 50;
const MAX_ADDRESS = 500;
export function toName(name: string): string {
  return name.replace(/\s+/g, ' ').trim().slice(0, MAX_NAME);
}

/** Builds the members that we have. An update also names what Xero holds beside them. */
export function toContact(
  { email, phone, address, city, state, zip }: BookCustomer,
  { Phones = [], Addresses = [] }: Partial<XeroContact>,
): Partial<XeroContact> {
  const [one, two, three, ...rest] = (address ?? '').split(/\r?\n/).filter(Boolean);
  const members = Object.entries({
    AddressLine1: one,
    AddressLine2: two,
    AddressLine3: three,
    AddressLine4: rest.join(', '),
    City: city,
    Region: state,
    PostalCode: zip,
  }).flatMap(([name, value]) => (value ? [[name, value.slice(0, MAX_ADDRESS)]] : []));
  const isOther = ({ AddressType }: Address) => AddressType !== 'POBOX';
  const postal = { ...Addresses.find((one) => !isOther(one)), ...Object.fromEntries(members) };
  const otherPhones = Phones.filter(({ PhoneType }) => PhoneType !== 'DEFAULT').map(keepFilled);
  return {
    ...(email && email.length <= MAX_EMAIL ? { EmailAddress: email } : {}),
    ...(phone && phone.length <= MAX_PHONE
      ? { Phones: [{ PhoneType: 'DEFAULT', PhoneNumber: phone }, ...otherPhones] }
      : {}),
    ...(members.length > 0
      ? { Addresses: [{ ...postal, AddressType: 'POBOX' }, ...Addresses.filter(isOther)] }
      : {}),
  };
}

/** Xero lists a phone of each type, also if it has no number. */
function keepFilled(phone: Phone): Phone {
  return Object.fromEntries(Object.entries(phone).filter(([, value]) => value !== ''));
}

export function toState({
  Name,
  EmailAddress,
  Phones = [],
  Addresses = [],
}: Partial<XeroContact>): BookCustomerState {
  const phone = Phones.find(({ PhoneType }) => PhoneType === 'DEFAULT') ?? {};
  const { PhoneCountryCode: country, PhoneAreaCode: area, PhoneNumber: number } = phone;
  const isFilled = ({ AddressLine1, City }: Address) => Boolean(AddressLine1 || City);
  const postal = Addresses.find((one) => one.AddressType === 'POBOX' && isFilled(one));
  const { AddressLine1, AddressLine2, AddressLine3, AddressLine4, City, Region, PostalCode } =
    postal ?? Addresses.find(isFilled) ?? {};
  return {
    name: Name ?? '',
    email: EmailAddress || null,
    phone: number
      ? [country && `+${country.replace(/^\+/, '')}`, area, number].filter(Boolean).join(' ')
      : null,
    address: [AddressLine1, AddressLine2, AddressLine3, AddressLine4].filter(Boolean).join('\n') || null,
    city: City || null,
    state: Region || null,
    zip: PostalCode || null,
  };
}

export function toChange(record: XeroContact): Change<BookCustomerState> {
  const fields = toState(record);
  return { kind: 'customer', externalId: record.ContactID, version: fingerprint(fields), fields };
}
