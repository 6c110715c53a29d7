export const edits = [
  {
    file: 'shared/contracts/vocabulary.ts',
    before: "  'dispatch.assigned',\n",
    add: "  'work_order.cancelled',\n",
  },
  {
    file: 'shared/resources/event-types/catalogue.ts',
    before: "  'dispatch.assigned': {\n",
    add: `  'work_order.cancelled': {
    description: 'A work order was cancelled',
    firesWhen: 'a work order is cancelled before it is complete',
    object: workOrder,
    example: { object: { ...examples.bookedWorkOrder, status: 'cancelled', cancel_reason: 'customer' } },
  },
`,
  },
  {
    file: 'shared/resources/work-orders/move-handler.ts',
    before: "  if (action === 'complete') return",
    add: "  if (action === 'cancel') return [{ type: 'work_order.cancelled' }];\n",
  },
];
