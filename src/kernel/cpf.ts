const bare = (text: string): string => text.replaceAll(/\D/g, '');

/** The check digit of a CPF: each digit is weighted by its position, counted from the right and starting at 2. */
function checkDigit(digits: string): number {
  const sum = digits.split('').reduce((total, digit, i) => total + Number(digit) * (digits.length + 1 - i), 0);
  return ((sum * 10) % 11) % 10;
}

/** Whether the text is a CPF, the number of a Brazilian taxpayer. Its last two digits are check digits. Numbers such as 111.111.111-11 are not issued. */
export function isCpf(text: string): boolean {
  const digits = bare(text);
  if (digits.length !== 11 || /^(\d)\1+$/.test(digits)) return false;
  return checkDigit(digits.slice(0, 9)) === Number(digits[9]) && checkDigit(digits.slice(0, 10)) === Number(digits[10]);
}

/** Formats up to 11 digits as `123.456.789-09`. Incomplete numbers get the separators that they have reached. */
export function formatCpf(text: string): string {
  const digits = bare(text).slice(0, 11);
  return digits
    .replace(/^(\d{3})(\d)/, '$1.$2')
    .replace(/^(\d{3}\.\d{3})(\d)/, '$1.$2')
    .replace(/^(\d{3}\.\d{3}\.\d{3})(\d)/, '$1-$2');
}
