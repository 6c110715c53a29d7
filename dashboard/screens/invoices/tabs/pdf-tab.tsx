import { Anchor, Button, Group, Stack } from '@mantine/core';
import { Download } from 'lucide-react';
import type { Invoice } from '../../../api/records';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { PdfFrame } from '../pdf/pdf-frame';
import { usePdf } from '../pdf/use-pdf';

/** The PDF of the invoice, as the customer gets it. */
export function PdfTab({ invoice }: { invoice: Invoice }) {
  const { url, problem, retry } = usePdf(invoice);
  const name = `invoice-${invoice.invoice_number.replace(/[^\w.-]+/g, '-')}.pdf`;
  if (problem) return <ProblemAlert problem={problem} onRetry={retry} />;
  if (!url) return <Loading label="Loading the PDF" />;
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Button component="a" href={url} download={name} leftSection={<Download size={14} aria-hidden />}>
          Download
        </Button>
        <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
          Open in a new tab
        </Anchor>
      </Group>
      <PdfFrame url={url} number={invoice.invoice_number} />
    </Stack>
  );
}
