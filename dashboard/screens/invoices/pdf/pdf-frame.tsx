/** Shows a PDF in the browser's own viewer. */
export function PdfFrame({ url, number }: { url: string; number: string }) {
  return (
    <iframe
      src={url}
      title={`PDF of ${number}`}
      style={{ width: '100%', height: '70vh', border: '1px solid var(--mantine-color-default-border)' }}
    />
  );
}
