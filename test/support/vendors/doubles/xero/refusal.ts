/** An error of one record, in Xero's words. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }

  get body(): object {
    if (this.status === 404) return { Title: 'Not Found', Status: 404, Detail: this.message };
    const ValidationErrors = [{ Message: this.message }];
    return {
      ErrorNumber: 10,
      Type: 'ValidationException',
      Message: 'A validation exception occurred',
      Elements: [{ ValidationErrors }],
    };
  }
}
