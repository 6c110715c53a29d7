import { expect } from 'chai';
// @ts-expect-error A plain script without types.
import { findSubjectProblem } from '../../../.ci/check-commits.mjs';

describe('the check of commit messages', () => {
  for (const subject of [
    'feat(webhooks): pause an endpoint that answers 410',
    'fix: keep the lease of an export',
    'refactor(api,mcp)!: share the limits of both HTTP edges',
    "Merge branch 'rooms'",
  ]) {
    it(`accepts "${subject}"`, () => expect(findSubjectProblem(subject)).to.equal(undefined));
  }

  for (const subject of [
    'The slow one is the one that is revoked',
    'feature(webhooks): pause an endpoint',
    'fix(exports): keep the lease.',
    'fix(exports):keep the lease',
    `fix: ${'long '.repeat(30)}subject`,
  ]) {
    it(`refuses "${subject.slice(0, 60)}"`, () => expect(findSubjectProblem(subject)).to.be.a('string'));
  }
});
