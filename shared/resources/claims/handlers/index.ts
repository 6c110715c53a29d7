import type { CommandHandlers } from '../../../contracts/command.js';
import { moveClaims } from './move-handler.js';
import { recordClaimOutcomes } from './outcome-handler.js';
import { recordClaimReports } from './report-handler.js';
import { createClaims, updateClaims } from './write-handler.js';

export const claimHandlers: CommandHandlers = {
  'claim.create': createClaims,
  'claim.update': updateClaims,
  'claim.submit': moveClaims('submit'),
  'claim.rebill': moveClaims('rebill'),
  'claim.withdraw': moveClaims('withdraw'),
  'claim.expire': moveClaims('expire'),
  'claim.outcome': recordClaimOutcomes,
  'claim.report': recordClaimReports,
};
