/** The members of the API's export resource that `tow export` uses. */
export interface ExportRecord extends Record<string, unknown> {
  id: string;
  status: string;
  progress: { rows: number; bytes: number; percent: number | null };
  file_name: string | null;
  bytes: number | null;
  sha256: string | null;
  files: readonly { name: string; rows: number }[];
  download_url: string | null;
  error: { code: string; message: string } | null;
}
