import { expect } from 'chai';
import { useProcesses } from '../support/processes.js';
import { scriptCommand } from '../support/run-script.js';

/** A process that has nothing to do, and tells after a while whether what nobody holds is still there. */
const IDLE = `
  import { collectStartupGarbage } from './shared/platform/startup-garbage.ts';
  const left = new WeakRef({ modules: 'a'.repeat(1000) });
  if (process.env.COLLECTS) collectStartupGarbage(console);
  setTimeout(() => console.log(left.deref() ? 'still there' : 'collected'), 4000);
`;

describe('what starting leaves in memory', () => {
  const processes = useProcesses();

  it('is collected once, which V8 does not do of a process that is idle', async () => {
    const [ours, bare] = await Promise.all(
      [{ COLLECTS: '1' }, {}].map((env) =>
        processes.start({ command: scriptCommand('-e', IDLE), env }).prints(/still there|collected/),
      ),
    );
    expect([ours?.[0], bare?.[0]]).to.deep.equal(['collected', 'still there']);
  });
});
