import { type InvalidRow, maxLength } from './upload.sql.ts';

/** Why a row of the file cannot be imported. */
export interface RowError {
  line: number;
  field: string;
  code: string;
  message: string;
}

export function describeRowError({ line, error, value, first }: InvalidRow): RowError {
  const [code = '', field = ''] = error.split(':');
  return { line, field, code, message: messageOf(code, field, value, first) };
}

function messageOf(code: string, field: string, value: string, first: number | null): string {
  switch (code) {
    case 'required':
      return `${field} is empty. Enter a value.`;
    case 'length':
      return `${field} is longer than ${maxLength[field as keyof typeof maxLength]} characters. Shorten it.`;
    case 'characters':
      return `${field} has line breaks or control characters. Remove them.`;
    case 'quotes':
      return `${field} has quotes inside. Put the whole field in quotes and double the quotes inside it.`;
    case 'columns':
      return 'The row has more fields than the header. Put fields that contain the delimiter in quotes.';
    case 'unknown':
      return `The event has no ${field} ${value}.`;
    case 'ambiguous':
      return `The event has more than one ${field} with the name ${value}. Use the id.`;
    case 'group':
      return `${value} is a group. Use one of its items.`;
    case 'elsewhere':
      return `The item is not valid in the session ${value}.`;
    case 'duplicate':
      return `${value} is already in line ${first}.`;
    default:
      return `${field} is not valid.`;
  }
}
