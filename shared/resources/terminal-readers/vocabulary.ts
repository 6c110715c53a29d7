import { namedEnum } from '../../contracts/named-enum.js';

export const terminalReaderStatus = namedEnum('TerminalReaderStatus', ['online', 'offline', 'removed'], {
  online: 'The vendor reaches the reader',
  offline: 'The reader is switched off, or has no network',
  removed: "The reader is no longer one of the account's readers at the vendor",
});
