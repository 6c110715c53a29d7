import { expect } from 'chai';
import type { Runtime } from '../../shared/platform/runtime.js';
import { warnIfExposed } from '../../shared/platform/warn-if-exposed.js';

describe('warnIfExposed', () => {
  const warningsFor = (host: string, production = false): string[] => {
    const warnings: string[] = [];
    const logger = { warn: (text: string) => warnings.push(text) };
    warnIfExposed({ config: { host, production }, logger } as unknown as Runtime);
    return warnings;
  };

  for (const host of ['0.0.0.0', '::', '10.1.2.3', '2001:db8::1', 'tow.example.com']) {
    it(`warns in one line of HOST=${host} outside production`, () => {
      expect(warningsFor(host)).to.have.length(1);
      expect(warningsFor(host)[0]).to.match(
        new RegExp(`^HOST=${host.replaceAll('.', '\\.')} lets other machines in[^\\n]*$`),
      );
      expect(warningsFor(host, true)).to.deep.equal([]);
    });
  }

  for (const host of ['127.0.0.1', '127.8.8.8', '::1', 'localhost']) {
    it(`says nothing of HOST=${host}, which is this machine`, () => {
      expect(warningsFor(host)).to.deep.equal([]);
    });
  }
});
