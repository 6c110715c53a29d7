import { expect } from 'chai';
import { createProgressBar } from '../../../bin/commands/export/progress-bar.js';

describe('progress bar', () => {
  it('the progress bar shows rows, bytes and percent in one line and erases it at the end', () => {
    const lines: string[] = [];
    const bar = createProgressBar({ replaceStatus: (text) => lines.push(text) }, 'exporting');
    bar.show(null, { rows: 0, bytes: 0 });
    bar.show(50.9, { rows: 12_345, bytes: 1_234_567 });
    bar.show(250, { bytes: 999 });
    bar.end();
    expect(lines).to.deep.equal([
      `exporting [${'·'.repeat(24)}] 0 rows, 0 B`,
      `exporting [${'█'.repeat(12)}${'·'.repeat(12)}] 50 % 12,345 rows, 1.2 MB`,
      `exporting [${'█'.repeat(24)}] 100 % 999 B`,
      '',
    ]);
  });
});
