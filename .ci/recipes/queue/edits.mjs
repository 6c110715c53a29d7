export const edits = [
  {
    file: 'workers/queues.ts',
    before: "import { startWebhooksWorker } from './webhooks/index.js';\n",
    add: "import { startRemindersWorker } from './reminders/index.js';\n",
  },
  {
    file: 'workers/queues.ts',
    before: '} satisfies Record',
    add: '  reminders: startRemindersWorker,\n',
  },
  {
    file: 'Procfile',
    add: 'reminders: node dist/workers/main.js reminders\n',
  },
];
