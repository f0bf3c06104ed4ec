var N_RAL_FILES = 1;
var N_RAL_NODES_PER_FILE = 16384;
var RootNodeIds = [0,54,140,161,194,285,357,386];
var PageInfo = {"title":"Sluice registers"};
