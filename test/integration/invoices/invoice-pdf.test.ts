import { expect } from 'chai';
import { createFairLimit } from '../../../shared/platform/limits/fair-limit.js';
import type { TestClient } from '../../support/client.js';
import { countPdfDrawing, extractPdfPages } from '../../support/records/pdf.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const NAMES = {
  Cyrillic: 'ООО «Щёлково Транспорт»',
  Ukrainian: 'Ґедзь і їжак',
  Vietnamese: 'Công ty Nguyễn Văn Thắng ở Huế',
  'Chinese, simplified': '北京市朝阳区建国路拖车公司',
  'Chinese, traditional': '臺灣高雄市鹽埕區拖吊車行',
  Japanese: '東京レッカー ひらがな 株式会社',
  Korean: '서울특별시 강남구 견인',
  Greek: 'Ελληνική Οδική Βοήθεια',
  Polish: 'Łódź, ul. Żółkiewskiego',
  Hebrew: 'חברת גרירה',
  Arabic: 'شركة',
  Persian: 'خودروبر تهران',
  Urdu: 'گاڑی اٹھانے والی کمپنی',
  Georgian: 'საქართველოს ევაკუატორი',
  Armenian: 'Երևանի քարշակ',
  Amharic: 'የኢትዮጵያ መኪና ጎታች',
};

/**
 * Customer names in scripts whose characters are stacked, split or moved when drawn. Text
 * extraction therefore returns these characters in a different order.
 */
const SHAPED_NAMES = {
  Yoruba: 'Ẹgbẹ́ ọ̀rẹ́ ńlá',
  Dhivehi: 'ދިވެހި ރާއްޖެ',
  Thai: 'บริษัท ขนส่ง',
  Lao: 'ບໍລິສັດ ຂົນສົ່ງ',
  Khmer: 'ក្រុមហ៊ុនដឹកជញ្ជូន ភ្នំពេញ',
  Burmese: 'ယာဉ်ဆွဲကုမ္ပဏီ ရန်ကုန်မြို့',
  Hindi: 'श्री राम टो सर्विस क्षेत्र',
  Bengali: 'শ্রী রাম টো সার্ভিস ক্ষেত্র',
  Punjabi: 'ਗੁਰਮੁਖੀ ਸ੍ਰੀ ਟੋਅ ਸੇਵਾ',
  Gujarati: 'શ્રી રામ ટો સર્વિસ ક્ષેત્ર',
  Odia: 'ଶ୍ରୀ ରାମ କ୍ଷେତ୍ର ସେବା',
  Tamil: 'ஸ்ரீ இழுவை நிறுவனம் கொழும்பு',
  Telugu: 'శ్రీ రామ టో సర్వీస్ క్షేత్రం',
  Kannada: 'ಶ್ರೀ ರಾಮ ಟೋ ಸರ್ವಿಸ್ ಕ್ಷೇತ್ರ',
  Malayalam: 'ശ്രീ രാമ ടോ സർവീസ് ക്ഷേത്രം',
  Sinhala: 'ශ්\u200dරී ලංකා ඇදගෙන යන සේවය',
  Tibetan: 'བཀྲ་ཤིས་བདེ་ལེགས། རྒྱལ་ཁབ',
};

describe('invoice PDF', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');

  async function fetchPdf(id: string, { key }: TestClient = tenant.client) {
    const response = await fetch(`${stack.origin}/v1/invoices/${id}/pdf`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
  }

  async function createInvoice(overrides: Record<string, unknown>, client = tenant.client): Promise<string> {
    const response = await client.post('/invoices', invoiceInput(overrides));
    expect(response.status).to.equal(201);
    return response.body.id;
  }

  async function drawName(name: string) {
    const { body: customer } = await tenant.client.post('/customers', { company_name: name });
    const id = await createInvoice({ customer_id: customer.id, line_items: [lineItem({ name })] });
    const { bytes } = await fetchPdf(id);
    const text = (await extractPdfPages(bytes)).join(' ').normalize('NFKC');
    return { ...(await countPdfDrawing(bytes)), text };
  }

  for (const [language, name] of Object.entries(NAMES))
    it(`the invoice PDF prints ${language} without missing glyphs`, async () => {
      const { letters, missing, text } = await drawName(name);
      expect(letters).to.be.above(2 * [...name].length);
      expect(missing, 'boxes of missing glyphs').to.equal(0);
      // Check each word separately, because extraction returns right-to-left words in the order in
      // which they were drawn.
      for (const word of name.split(' ')) expect(text).to.include(word.normalize('NFKC'));
    });

  for (const [language, name] of Object.entries(SHAPED_NAMES))
    it(`the invoice PDF prints shaped ${language} without missing glyphs`, async () => {
      const { missing, text } = await drawName(name);
      expect(missing, 'boxes of missing glyphs').to.equal(0);
      expect(text).to.not.include('?');
      const extracted = text.normalize('NFD');
      for (const letter of name.replace('\u200d', '').normalize('NFD')) expect(extracted).to.include(letter);
    });

  it('the invoice PDF prints ? for a character that no font has', async () => {
    const { bytes } = await fetchPdf(await createInvoice({ vehicle_description: 'A 🚗 B' }));
    expect((await extractPdfPages(bytes))[0]).to.include('A ? B');
    expect((await countPdfDrawing(bytes)).missing).to.equal(0);
  });

  it('the invoice PDF breaks a word only if it is longer than the line', async () => {
    const word = 'W'.repeat(150);
    const { bytes } = await fetchPdf(
      await createInvoice({ line_items: [lineItem({ name: `Recovery ${word}` })] }),
    );
    const [page = ''] = await extractPdfPages(bytes);
    expect(page).to.include('Recovery');
    expect(page.match(/W/g)).to.have.length(150);
  });

  it('the invoice PDF prints 38 line items with descriptions of 2,000 characters in full', async () => {
    const description = Array.from({ length: 400 }, (_, nth) => `w${nth}`)
      .join(' ')
      .slice(0, 2000);
    const last = description.split(' ').at(-1) as string;
    const { bytes } = await fetchPdf(
      await createInvoice({ line_items: Array.from({ length: 38 }, () => lineItem({ description })) }),
    );
    const text = (await extractPdfPages(bytes)).join(' ');
    expect(text.split(new RegExp(`\\b${last}\\b`)).length - 1).to.equal(38);
    expect(text).to.not.include('…');
  });

  for (const [kind, description] of [
    ['words', 'lorem ipsum '.repeat(166)],
    ['one long word', 'W'.repeat(2000)],
    ['line breaks', 'x\n'.repeat(999)],
    ['Chinese', '漢'.repeat(1500)],
  ] as const)
    it(`the PDF of an invoice with 200 line items full of ${kind} ends with its totals within 120 pages`, async () => {
      const line_items = Array.from({ length: 200 }, () => lineItem({ name: 'N'.repeat(200), description }));
      const { status, bytes } = await fetchPdf(await createInvoice({ line_items }));
      expect(status).to.equal(200);
      const pages = await extractPdfPages(bytes);
      expect(pages.length).to.be.within(20, 120);
      expect(pages.slice(-2).join(' ')).to.match(/Balance due\s+\$20,000\.00/);
    });

  it('PDFs stay available to another account while one account floods, and reads still succeed', async () => {
    const other = await stack.createTenant('Other Towing');
    const otherInvoiceId = await createInvoice({}, other.client);
    const description = 'lorem ipsum '.repeat(160);
    const creationLimit = createFairLimit({ queues: ['creating'], maxRunning: 4 });
    const floodIds = await Promise.all(
      Array.from({ length: 20 }, (_, nth) =>
        creationLimit.run({ queue: 'creating', group: 'flood' }, () =>
          createInvoice({
            line_items: Array.from({ length: 60 }, () => lineItem({ description: `${nth} ${description}` })),
          }),
        ),
      ),
    );
    const floodStatuses = Promise.all(floodIds.map(async (id) => (await fetchPdf(id)).status));
    expect((await tenant.client.get('/me')).status).to.equal(200);
    expect((await fetchPdf(otherInvoiceId, other.client)).status).to.equal(200);
    // The number of refused requests depends on the machine.
    // test/unit/documents/invoice-pdfs.test.ts tests the fair sharing.
    for (const status of await floodStatuses) expect(status).to.be.oneOf([200, 503]);
  });
});
