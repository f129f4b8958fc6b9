import { type FaultRow, longest } from './upload.sql.ts';

/** What is wrong with one row of a file. */
export interface Fault {
  line: number;
  field: string;
  code: string;
  message: string;
}

export function describeFault({ line, fault, value, first }: FaultRow): Fault {
  const [code = '', field = ''] = fault.split(':');
  return { line, field, code, message: messageOf(code, field, value, first) };
}

function messageOf(code: string, field: string, value: string, first: number | null): string {
  switch (code) {
    case 'required':
      return `${field} is empty`;
    case 'length':
      return `${field} is longer than ${longest[field as keyof typeof longest]} characters`;
    case 'characters':
      return `${field} has line breaks or control characters inside`;
    case 'quotes':
      return `${field} has quotes inside: put the field in quotes and double those in it`;
    case 'columns':
      return 'the row has more fields than the header; put fields with the delimiter inside in quotes';
    case 'unknown':
      return `the event has no ${field} ${value}`;
    case 'ambiguous':
      return `the event has several of the name ${value}; write the id`;
    case 'group':
      return `${value} is a group; write one of the items in it`;
    case 'elsewhere':
      return `the item is not valid in the session ${value}`;
    case 'duplicate':
      return `${value} stands in line ${first} already`;
    default:
      return 'is not valid';
  }
}
