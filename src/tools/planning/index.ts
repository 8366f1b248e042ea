export { todoReadTool, todoSetTool } from "./todo.js";
